package server

func (s *Server) libraryRoutes() {}
