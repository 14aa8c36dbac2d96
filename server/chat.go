package server

func (s *Server) chatRoutes() {}
