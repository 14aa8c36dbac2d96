package server

func (s *Server) pageRoutes() {}
